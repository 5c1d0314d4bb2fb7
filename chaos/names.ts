/** All experiments, in the order of the report; each is a file of `experiments/`. */
export const EXPERIMENTS = [
  'sign-up',
  'rotation',
  'dead-connection',
  'frozen-store',
  'store-down',
  'provider-down',
  'sign-out',
  'clock',
  'log-lines',
  'prune',
  'migration',
] as const
