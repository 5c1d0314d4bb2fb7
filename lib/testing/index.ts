export type { CookieOfTest } from './cookies.js'
export { type MailOfTest, type TestMailbox, testMailbox } from './mailbox.js'
export { type CsrfOfTest, csrfFor, type SignedIn, signInAs, type TestOptions, type UserOfTest } from './sign-in.js'
