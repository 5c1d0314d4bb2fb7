/** Headers of an answer that depends on the visitor, and that no cache may keep (COOKIE-12). */
export const NO_STORE = {
  'cache-control': 'private, no-cache, no-store',
  expires: '0',
  pragma: 'no-cache',
  vary: 'Cookie',
} as const
