/**
 * The header of every 503: of the mount, and of guards. A client should ask again after these seconds (RFC 9110
 * §10.2.3); most interruptions of a store are over by then.
 */
export const RETRY_AFTER = { 'retry-after': '5' } as const
