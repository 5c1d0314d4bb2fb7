export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

export const hasMethods = (value: unknown, ...methods: string[]): value is Record<string, unknown> =>
  isRecord(value) && methods.every((method) => typeof value[method] === 'function')
