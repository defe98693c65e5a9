import type { RouteName } from '@webfarer/protocol/api';

/** Where something is that Starbelly had. */
export interface Place {
  there: boolean;
  routes: RouteName[];
  text: string;
}

const at = (...routes: RouteName[]): Place => ({ there: true, routes, text: '' });
const says = (text: string, ...routes: RouteName[]): Place => ({ there: true, routes, text });
/** `text` begins with whether it will be: `not yet` or `never`. */
const absent = (text: string): Place => ({ there: false, routes: [], text });

const captcha = absent('never: CAPTCHAs are not solved ([challenges.md](challenges.md))');
const login = (...routes: RouteName[]) =>
  says(
    'accounts belong to the machine that crawls, and a job names them under `login` ([site-logins.md](site-logins.md))',
    ...routes,
  );

const loginList = absent('not yet: ask for the list of accounts again');

const stream = (topic: string) =>
  says(`topic \`${topic}\` of \`/v1/stream\` ([stream.md](stream.md))`, 'followEvents');

/** Its 33 commands. */
export const starbellyCommands: Readonly<Record<string, Place>> = {
  delete_captcha_solver: captcha,
  get_captcha_solver: captcha,
  list_captcha_solvers: captcha,
  set_captcha_solver: captcha,
  delete_job: at('deleteCrawl'),
  get_job: at('getCrawl'),
  get_job_items: at('readResults', 'readItems', 'readLinks'),
  list_jobs: says('by tag and state', 'listCrawls'),
  set_job: at('createCrawl', 'pauseCrawl', 'resumeCrawl', 'stopCrawl', 'editCrawl'),
  delete_schedule: at('deleteSchedule'),
  get_schedule: at('getSchedule'),
  list_schedules: at('listSchedules'),
  list_schedule_jobs: says('with what was skipped', 'listScheduleRuns'),
  set_schedule: at('putSchedule'),
  delete_policy: at('deletePolicy'),
  get_policy: at('getPolicy', 'listPolicyVersions'),
  list_policies: at('listPolicies'),
  set_policy: at('putPolicy'),
  delete_domain_login: login('removeSiteAccount'),
  get_domain_login: login('listSiteAccounts'),
  list_domain_logins: login('listSiteAccounts'),
  set_domain_login: login('openSiteLogin'),
  list_rate_limits: says('a job has its own pace as well (`politeness`)', 'listHostRules', 'getHostRule'),
  set_rate_limit: says(
    'the pattern `*` is the global limit, set by an admin',
    'putHostRule',
    'deleteHostRule',
  ),
  performance_profile: at('profileCoordinator'),
  subscribe_job_status: stream('status'),
  subscribe_job_sync: stream('results'),
  subscribe_resource_monitor: stream('resources'),
  subscribe_task_monitor: stream('tasks'),
  unsubscribe: says('`unsubscribe` of `/v1/stream` ([stream.md](stream.md))'),
  subscribe_policy_list: stream('list'),
  subscribe_schedule_list: stream('list'),
  subscribe_domain_login_list: loginList,
};

/** Its 7 subscriptions. */
export const starbellySubscriptions: Readonly<Record<string, Place>> = {
  'job status': stream('status'),
  'job sync': stream('results'),
  'resource monitor': stream('resources'),
  'task monitor': stream('tasks'),
  'policy list': stream('list'),
  'schedule list': stream('list'),
  'domain-login list': loginList,
};
