import {
  type AccountChanges,
  type AccountExpectation,
  type AdapterAccount,
  CHANGING_ACCOUNT_MEMBERS,
} from '../adapter.js'

/** Whether each expected member has its value. */
export const hasExpected = (account: AdapterAccount, expected: AccountExpectation): boolean =>
  Object.entries(expected).every(([name, value]) => (account[name as keyof AccountExpectation] ?? null) === value)

/** The account with its changes. Only members that may change are taken; null deletes a member. */
export function withAccountChanges(account: AdapterAccount, changes: AccountChanges): AdapterAccount {
  const given = CHANGING_ACCOUNT_MEMBERS.filter((name) => changes[name] !== undefined)
  const kept = Object.entries(account).filter(([name]) => !given.some((each) => each === name))
  const set = given.filter((name) => changes[name] !== null).map((name) => [name, changes[name]])
  return Object.fromEntries([...kept, ...set]) as AdapterAccount
}
