/** The name of the cookie of an administrator who acts as a user, by the key that configures it. */
export default { actingSession: 'authjs.acting-session' }
