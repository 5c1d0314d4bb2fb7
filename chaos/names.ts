/** All experiments, in the order of the report. Each has a file in `experiments/`. */
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
