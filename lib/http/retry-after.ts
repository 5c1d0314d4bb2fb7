/** For answers to a fault that passes: the seconds after which it is worth asking again (RFC 9110 §10.2.3). A store has mostly come back by then. */
export const RETRY_AFTER = { 'retry-after': '5' } as const
