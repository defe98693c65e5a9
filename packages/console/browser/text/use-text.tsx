import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { type Formats, formatsFor } from '../format/formats.ts';
import { de } from './de.ts';
import { en, type Text } from './en.ts';

const languages = { en, de } as const;
export type Language = keyof typeof languages;
export const languageNames = Object.entries(languages).map(([id, { language }]) => ({
  id: id as Language,
  name: language,
}));

interface Speech {
  text: Text;
  formats: Formats;
  language: Language;
  speak(language: Language): void;
}

const Context = createContext<Speech | undefined>(undefined);
const key = 'webfarer.language';

/** The reader's choice, else the first language of the browser that the console speaks. */
function firstLanguage(): Language {
  const wanted = [localStorage.getItem(key) ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2));
  return wanted.find((tag): tag is Language => tag in languages) ?? 'en';
}

export function TextProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const speech = useMemo<Speech>(
    () => ({
      text: languages[language],
      formats: formatsFor(languages[language].locale),
      language,
      speak(next) {
        localStorage.setItem(key, next);
        setLanguage(next);
      },
    }),
    [language],
  );
  return <Context.Provider value={speech}>{children}</Context.Provider>;
}

export function useSpeech(): Speech {
  const speech = useContext(Context);
  if (!speech) throw new Error('no language');
  return speech;
}

/** Texts that one screen alone needs: they load with it, not with the first screen. */
export const useTextOf = <T,>(texts: Readonly<Record<Language, T>>): T => texts[useSpeech().language];
export const useText = (): Text => useSpeech().text;
export const useFormats = (): Formats => useSpeech().formats;
