/** The names of the cookies of a browser that is not asked again, and of one in which an app is added, by the keys that configure them. */
export default { trustedBrowser: 'authjs.trusted-browser', offeredFactor: 'authjs.offered-factor' }
