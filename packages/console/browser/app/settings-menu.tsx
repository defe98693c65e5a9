import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { useConnected } from '../api/connected.tsx';
import { languageNames, useSpeech } from '../text/use-text.tsx';
import { Dots } from '../parts/icons.tsx';

const schemes = ['light', 'dark', 'auto'] as const;

export function SettingsMenu({ showKeys }: { showKeys: () => void }) {
  const { text, language, speak } = useSpeech();
  const { menu } = text;
  const { who, logOut } = useConnected();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={230} withinPortal={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" size="lg" aria-label={menu.open}>
          <Dots />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="who" title={who.id}>
          {menu.who(who.name || who.id, who.scope, who.team)}
        </Menu.Label>
        <Menu.Label>{menu.theme}</Menu.Label>
        {schemes.map((scheme) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            rightSection={scheme === colorScheme ? '✓' : undefined}
          >
            {menu[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{menu.language}</Menu.Label>
        {languageNames.map(({ id, name }) => (
          <Menu.Item
            key={id}
            lang={id}
            onClick={() => speak(id)}
            rightSection={id === language ? '✓' : undefined}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={showKeys}>{menu.keys}</Menu.Item>
        <Menu.Item onClick={logOut}>{menu.logOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
