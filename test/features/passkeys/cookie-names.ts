/** The name of the cookie of a challenge, by the key that configures it. */
export default { webauthnChallenge: 'authjs.challenge' }
