import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { languageNames, useFormats, useSpeech } from '../text/use-text.tsx';
import { Dots } from '../parts/icons.tsx';

const schemes = ['light', 'dark', 'auto'] as const;

export function SettingsMenu({ showKeys }: { showKeys: () => void }) {
  const { text, language, speak } = useSpeech();
  const { menu } = text;
  const { who, client, logOut } = useConnected();
  const { count } = useFormats();
  const [isOpen, setOpen] = useState(false);
  const { data: team } = useQuery({
    queryKey: ['team', who.team],
    enabled: isOpen,
    queryFn: () => client.getTeam({ params: { team: who.team } }),
  });
  const most = team?.inForce.crawls;
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={230} withinPortal={false} onChange={setOpen}>
      <Menu.Target>
        <ActionIcon variant="subtle" size="lg" aria-label={menu.open}>
          <Dots />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="who" title={who.id}>
          {menu.who(who.name || who.id, who.scope, who.team)}
        </Menu.Label>
        {team && most !== undefined ? (
          <Menu.Label>{menu.quota(count(team.used.crawls), count(most))}</Menu.Label>
        ) : null}
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
