import { useQuery } from '@tanstack/react-query';
import type { ScheduleInput } from '@webfarer/protocol/api';
import { useConnected } from '../api/connected.tsx';
import { useDebounced } from '../job/use-lasting.ts';

export const shownRuns = 10;

/** When a schedule would run, in words and as instants, computed by the coordinator; nothing is saved. */
export function usePreview(schedule: ScheduleInput) {
  const { client } = useConnected();
  const text = useDebounced(JSON.stringify(schedule));
  return useQuery({
    queryKey: ['schedule preview', text],
    queryFn: () =>
      client.previewNewSchedule({ body: { schedule: JSON.parse(text) as ScheduleInput, count: shownRuns } }),
    placeholderData: (before) => before,
    retry: false,
  });
}
