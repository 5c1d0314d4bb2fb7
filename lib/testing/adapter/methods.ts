import assert from 'node:assert/strict'
import { ADAPTER_METHODS, TOKEN_SESSION_METHODS } from '../../adapters/adapter-methods.js'
import { createChecks, type Method } from './check.js'

/** Methods that adapters made for Auth.js do not know. */
const BEYOND_AUTHJS: readonly Method[] = [
  'createUserWithAccount',
  'getVerificationToken',
  'getSession',
  'updateAuthenticator',
  'deleteAuthenticator',
  'listAccountsByUserId',
  'updateAccount',
  'deleteSessionsByUserId',
  'listSessionsByUserId',
  'listSessionsByProvider',
  ...TOKEN_SESSION_METHODS,
  'changeSessionToken',
  'deleteExpired',
]

const { checks, authjs } = createChecks()
export const methodChecks = checks

authjs('are all there, but those skipped by design', [], async (adapter, _, { skip, level }) => {
  const known = level === 'authjs' ? [...skip, ...BEYOND_AUTHJS] : skip
  const missing = ADAPTER_METHODS.filter((name) => !known.includes(name) && !(name in adapter))
  assert.deepEqual(missing, [], 'name the methods that the adapter lacks by design in `skip`')
})
