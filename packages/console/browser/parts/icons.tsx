import type { ReactNode } from 'react';

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const Globe = () => (
  <Icon>
    <circle cx="12" cy="12" r="9" />
    <path d="M3.5 9.5c5 2.5 12 2.5 17 0M3.5 14.5c5-2.5 12-2.5 17 0M12 3c-4 5-4 13 0 18M12 3c4 5 4 13 0 18" />
  </Icon>
);
export const Dots = () => (
  <Icon>
    <path d="M5 7h14M5 12h14M5 17h14" />
  </Icon>
);
export const Loupe = () => (
  <Icon>
    <circle cx="11" cy="11" r="6.5" />
    <path d="m16 16 4.5 4.5" />
  </Icon>
);
export const Pause = () => (
  <Icon>
    <path d="M9 5.5v13M15 5.5v13" />
  </Icon>
);
export const Play = () => (
  <Icon>
    <path d="M8 5.5v13l10.5-6.5z" />
  </Icon>
);
export const Stop = () => (
  <Icon>
    <rect x="6.5" y="6.5" width="11" height="11" rx="1.5" />
  </Icon>
);
