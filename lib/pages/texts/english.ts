/**
 * Every text of the built-in pages and mails, in English. The other languages have the same keys.
 *
 * A name in braces is replaced: `{site}` by the name of the application, or by its host if it has no name.
 */
export const ENGLISH = {
  // The sign-in page
  'signIn.title': 'Sign in',
  'signIn.lead': 'to continue to {site}',
  'signIn.or': 'or',
  'signIn.with': 'Sign in with {provider}',
  'signIn.submit': 'Sign in',
  'signIn.remember': 'Keep me signed in',
  'signIn.lastUsed': 'Used last',
  'signIn.nothing': 'There is no way to sign in here yet.',
  'signIn.signedIn': 'You are signed in as {user}.',
  'signIn.signedInNote': 'If you sign in as somebody else, this session ends in this browser.',
  'signIn.signedInAdds':
    'Another way to sign in that you choose here is added to your account. To sign in as somebody else, sign out first.',
  'signIn.continue': 'Continue',
  'signIn.signOut': 'Sign out',
  'signIn.needsScript': 'Passkeys need JavaScript. Turn JavaScript on for this site, and load the page again.',
  'signIn.needsPasskeys': 'This browser does not support passkeys. Open this page in another browser to sign in.',
  'email.submit': 'E-mail me a link',
  'email.hint': 'No password needed: we send you a link that signs you in.',
  'passkey.submit': 'Sign in with a passkey',
  'passkey.hint': 'Use your fingerprint, face or screen lock. No password needed.',
  'passkey.new': 'New here?',
  'passkey.create': 'Create a passkey',
  'passkey.signUp': 'Sign up with {provider}',

  // Links to pages of the application
  'links.forgot': 'Forgot your password?',
  'links.signUpLead': 'New here?',
  'links.signUp': 'Create an account',
  'links.terms': 'Terms',
  'links.privacy': 'Privacy',
  'links.support': 'Help',

  // Captions of fields for which the application gives none
  'field.email': 'E-mail',
  'field.username': 'User name',
  'field.password': 'Password',
  'field.code': 'Code',

  // What failed, on the sign-in page
  'signIn.error.general': 'We could not sign you in. Please try again.',
  'signIn.error.notStarted': 'We could not start that sign-in. Please try again, or choose another way to sign in.',
  'signIn.error.notCreated': 'We could not create an account for you that way. Please choose another way to sign in.',
  'signIn.error.accountNotLinked':
    'That account belongs to another user here. Sign in with the account that you used before.',
  'signIn.error.callback': 'That sign-in could not be completed. Please start again right here.',
  'signIn.error.credentials': 'Those details do not match an account. Check them and try again.',
  'signIn.error.email': 'We could not send the e-mail. Check the address and try again.',
  'signIn.error.emailUnavailable':
    'We cannot send e-mails right now. Please try again in a moment, or choose another way to sign in.',
  'signIn.error.csrf':
    'This page was open for too long, or your browser does not keep our cookies. Please try once more.',
  'signIn.error.otherWay':
    'You signed in with this e-mail address in another way before. Please sign in that way again. If it was this way, please contact us.',
  'signIn.error.cancelled':
    'That sign-in was cancelled, took too long, or had already been used. You can start again right here.',
  'signIn.error.expired': 'We could not complete that sign-in in time. You can start again right here.',
  'signIn.error.recent':
    'You signed in a while ago. Please sign in again in a way that you used before, and then add the new one. To sign in as another user, sign out first.',
  'signIn.error.recentOpenPage':
    'You signed in a while ago. Please sign in again in a way that you used before, to open this page.',
  'signIn.error.recentEndSessions':
    'You signed in a while ago. Please sign in again in a way that you used before, and then end the other sessions.',
  'signIn.error.recentRemoveAccount':
    'You signed in a while ago. Please sign in again in a way that you used before, and then remove the account.',
  'signIn.error.sessionChanged':
    'You or somebody else has signed in or out in this browser meanwhile, and that ended this sign-in. You can start again right here.',
  'signIn.error.sessionEnded':
    'You have signed out in this browser meanwhile, or your session has ended. Nothing has changed. Please sign in again.',
  'signIn.error.sessionRequired': 'Please sign in to see that page.',
  'signIn.error.addressTaken':
    'You have an account here already, with the same e-mail address. Sign in the way that you used before. Then you can connect {provider}.',
  'signIn.error.otherId': '{provider} had another id for you before. Sign in in another way, or contact us.',
  'signIn.error.addressTakenUnproven':
    'The e-mail address of that account is in use here. If it is yours, sign in the way that you used before, or with a link that we e-mail to you. Then you can connect {provider}.',

  // What the script of the sign-in page says about passkeys
  'passkey.waiting': 'Waiting for your passkey…',
  'passkey.signedIn': 'You are signed in. One moment…',
  'passkey.error.failed': 'That did not work. Please try again, or sign in another way.',
  'passkey.error.offline': 'We cannot be reached right now. Check your connection and try again.',
  'passkey.error.server': 'Something went wrong on our side. Please try again later.',
  'passkey.error.accessDenied': 'That worked, but this account has no access here.',
  'passkey.error.accountNotLinked':
    'There is an account with that e-mail address already. Sign in the way that you used before.',
  'passkey.error.alreadyRegistered': 'This device has a passkey for you already. Use it to sign in.',
  'passkey.error.cancelled':
    'That was cancelled, or there is no passkey for this site on this device. You can try again.',
  'passkey.error.notCreated': 'That was cancelled, and no passkey was made. You can try again.',
  'passkey.error.noAuthenticator': 'This device cannot do that. Try another device, or a security key.',
  'passkey.error.notAllowed': 'Your browser does not allow passkeys on this page.',
  'passkey.error.notVerified':
    'We do not know that passkey, or could not verify it. Try another passkey, or sign in another way.',
  'passkey.error.refused':
    'We cannot create an account for that address. If you already have an account, sign in the way that you used before.',
  'passkey.error.recent': 'You signed in a while ago. Please sign in again, and then add the passkey.',
  'passkey.error.sessionChanged':
    'You or somebody else has signed in or out in this browser meanwhile. Please load the page again.',
  'passkey.error.timedOut': 'That took too long. Please try again.',
  'passkey.error.unsupported': 'This browser does not support passkeys.',

  // The page after a link was mailed
  'verifyRequest.title': 'Check your e-mail',
  'verifyRequest.lead': 'We have sent you a link that signs you in. Open it in this browser to sign in at once.',
  'verifyRequest.leadTo': 'We have sent a link to {address}. Open it in this browser to sign in at once.',
  'verifyRequest.leadAgain':
    'We have sent another link to {address}. Open the newest one in this browser to sign in at once.',
  'verifyRequest.lifetime': 'The link works once, within the next {lifetime}.',
  'verifyRequest.wait': 'It can take a minute or two to arrive.',
  'verifyRequest.junk': 'If nothing arrives, please look in your junk mail, too.',
  'verifyRequest.again': 'Send another link',
  'verifyRequest.other': 'Use another address',

  // The page that asks before a mailed link signs in
  'confirm.title': 'Is this you?',
  'confirm.lead': 'You are about to sign in to {site}.',
  'confirm.leadAs': 'You are about to sign in to {site} as {user}.',
  'confirm.submit': 'Sign in',
  'confirm.hint': 'If you did not ask for this, close this page. Nothing will happen.',

  // The page that asks before an account at a provider is added
  'link.title': 'Connect {provider}',
  'link.titlePermission': 'Permission at {provider}',
  'link.titleSignIn': 'Sign in at {provider}',
  'link.lead': 'You are about to connect your account at {provider} to your account on {site}.',
  'link.leadPermission':
    '{provider} asks for your permission again. Your account on {site} is connected with an account there already.',
  'link.leadSignIn': 'You are about to sign in at {provider} again, so that {site} can use your account there.',
  'link.user': 'You are signed in as {user}.',
  'link.way': 'We send you to {provider}, and you come back here.',
  'link.afterwards': 'Afterwards you can also sign in with {provider}.',
  'link.anotherAccount':
    'If you choose another account there, it is connected too. Afterwards you can also sign in with it.',
  'link.scope': 'We ask {provider} for more permissions:',
  'link.submit': 'Connect {provider}',
  'link.submitContinue': 'Continue to {provider}',
  'link.back': 'Not now',
  'link.error.general': 'The account could not be connected. Nothing has changed. You can try again.',
  'link.error.csrf':
    'This page was open for too long, or your browser does not keep our cookies. Please press the button again.',
  'link.error.cancelled':
    'That was cancelled, took too long, or had already been used. Nothing has changed. You can try again.',
  'link.error.ofAnotherUser':
    'That account belongs to another user here, so it was not connected. Nothing has changed. To connect another account, press the button. Then {provider} asks you which account it is.',
  'link.error.ofAnotherUserSignOut':
    'That account belongs to another user here, so it was not connected. Nothing has changed. To connect another account, sign out at {provider} first. Then press the button.',

  // The sign-out page, and the page that posts a logout to a provider
  'signOut.title': 'Sign out',
  'signOut.lead': 'You are about to sign out of {site} on this device.',
  'signOut.also': 'Also sign out of {provider}',
  'signOut.alsoSure': 'You will also be signed out of {provider}.',
  'signOut.submit': 'Sign out',
  'signOut.stay': 'Stay signed in',
  'signOut.error.csrf':
    'You are still signed in: the page was open for too long, or your browser does not keep our cookies. Please press the button again.',
  'signedOut.title': 'You are signed out',
  'signedOut.lead': 'Nobody is signed in to {site} in this browser.',
  'signedOut.signIn': 'Sign in',
  'providerLogout.title': 'Sign out of {provider}',
  'providerLogout.lead': 'You are signed out here. Continue to sign out of {provider} as well.',
  'providerLogout.submit': 'Continue',
  'providerLogout.stay': 'Stay signed in there',

  // The error page
  'error.status': 'Error {status}',
  'error.toSignIn': 'Go to sign-in',
  'error.startAgain': 'Start again',
  'error.tryAgain': 'Try again',
  'error.goBack': 'Go back',
  'error.otherAccount': 'Sign in with another account',
  'error.sendLink': 'Send a new link',
  'error.continue': 'Continue',
  'error.home': 'Go to the home page',
  'error.log': 'For developers: the log of the server says why.',
  'error.general.title': 'Something went wrong',
  'error.general.text': 'That did not work. Please try again.',
  'error.accessDenied.title': 'No access',
  'error.accessDenied.text':
    'You signed in, but this account has no access here. If you have another account, try that account.',
  'error.accessDenied.textId': 'Your id at the other site is too long or has unusual characters. Please contact us.',
  'error.configuration.title': 'A problem on our side',
  'error.configuration.text':
    'Something is set up incorrectly, and we could not complete your request. Please try again later.',
  'error.unavailable.title': 'One moment, please',
  'error.unavailable.text':
    'A part of our service does not answer right now. Nothing is lost. Please try again in a moment.',
  'error.sessionUnavailable.title': 'One moment, please',
  'error.sessionUnavailable.text':
    'We cannot check right now whether you are signed in. Nothing is lost. Please try again in a moment.',
  'error.signOut.title': 'Signed out in this browser',
  'error.signOut.text':
    'You are signed out in this browser, and you do not have to do anything. On our side, your session may still be open for a while. This matters only if somebody has a copy of it. If you think so, please tell us.',
  'error.emailNotConfirmed.title': 'This address is not confirmed',
  'error.emailNotConfirmed.text':
    'Somebody signed up here with this e-mail address in another way, and never confirmed it. If that was you, sign in that way again. If it was not you, please tell the people who run this site. The link has been used up.',
  'error.verification.title': 'This link no longer works',
  'error.verification.text': 'It was already used, or it has expired. Sign in again to get a new link.',
  'error.verification.textSend': 'It was already used, or it has expired. We can send a new link to {address}.',
  'error.verification.textSignedIn':
    'It was already used, or it has expired. You are signed in already, so you do not need it.',
  'error.passkey.title': 'Your passkey was not accepted',
  'error.passkey.text': 'We could not verify it. Please try again, or sign in another way.',
  'error.notAllowed.title': 'No access to this page',
  'error.notAllowed.text':
    'You are signed in, but your account may not open this page. If you have another account, sign in with that account.',

  // Requests that are refused
  'refusal.general.title': 'We did not understand that',
  'refusal.general.text': 'The request was incomplete or damaged. Please start again.',
  'refusal.notFound.title': 'Nothing here',
  'refusal.notFound.text': 'There is no page at this address. Please check the address for mistakes.',
  'refusal.method.title': 'That does not work here',
  'refusal.method.text': 'This address cannot be used in that way. Please start again.',
  'refusal.lastWay.title': 'Your only way to sign in',
  'refusal.lastWay.text':
    'Without it you could not sign in any more, so it was not removed. Add another way to sign in first.',
  'refusal.tooLarge.title': 'Too large',
  'refusal.tooLarge.text': 'Your request is larger than we accept. Please shorten it and try again.',
  'refusal.format.title': 'Unknown format',
  'refusal.format.text': 'Your request has a format that we cannot read. Please use the form on this site.',
  'refusal.form.title': 'Please try again',
  'refusal.form.text':
    'The page was open for too long, or your browser does not keep our cookies. Nothing has changed. Go back, and press the button again.',
  'refusal.signedOut.title': 'You are signed out',
  'refusal.signedOut.text':
    'You have signed out in this browser meanwhile, or your session has ended. Nothing has changed. Sign in again, and then press the button once more.',
  'refusal.gone.title': 'Not found',
  'refusal.gone.text': 'It may have been removed already. Go back to see what is there now.',

  // The name of the application where neither name nor host is known
  'site.unknown': 'this site',

  // The mail with a sign-in link
  'mail.signIn.subject': 'Sign in to {site}',
  'mail.signIn.preview': 'Your link works for {lifetime}.',
  'mail.signIn.lead': 'Somebody, probably you, asked for this link. It works once, within the next {lifetime}.',
  'mail.signIn.open': 'Open this link in your browser:',
  'mail.signIn.button': 'Sign in',
  'mail.signIn.copy': 'If the button does not work, copy this address into your browser:',
  'mail.signIn.ignore': 'If you did not ask for it, you can ignore this message. Nobody can sign in without the link.',

  // The mail that tells the owner of an account of a change
  'mail.notice.subject': '{title}: {site}',
  'mail.notice.added': 'A new way to sign in',
  'mail.notice.removed': 'A way to sign in was removed',
  'mail.notice.accountLinked': '{provider} was connected to your account on {site}. You can sign in with it now.',
  'mail.notice.accountUnlinked':
    '{provider} was disconnected from your account on {site}. You cannot sign in with it any more.',
  'mail.notice.passkeyAdded': 'A passkey was added to your account on {site}. You can sign in with it now.',
  'mail.notice.passkeyRemoved':
    'A passkey was removed from your account on {site}. You cannot sign in with it any more.',
  'mail.notice.unknownProvider': 'A provider',
  'mail.notice.advice': 'If this was not you, sign in, end all other sessions, and tell the people who run this site.',
} as const satisfies Record<string, string>

/** Key of a text of the built-in pages and mails. */
export type TextKey = keyof typeof ENGLISH

/** All texts in one language. */
export type Texts = Readonly<Record<TextKey, string>>
