import type { Texts } from './english.js'

/** The texts in French, with the polite form. There is a no-break space before `:`, `;`, `?` and `!`. */
export const FRENCH: Texts = {
  'signIn.title': 'Se connecter',
  'signIn.lead': 'pour continuer vers {site}',
  'signIn.or': 'ou',
  'signIn.with': 'Se connecter avec {provider}',
  'signIn.submit': 'Se connecter',
  'signIn.remember': 'Rester connecté',
  'signIn.lastUsed': 'Utilisé en dernier',
  'signIn.nothing': 'Il n’y a pas encore de moyen de se connecter ici.',
  'signIn.signedIn': 'Vous êtes connecté en tant que {user}.',
  'signIn.signedInNote':
    'Si vous vous connectez en tant qu’une autre personne, cette session prend fin dans ce navigateur.',
  'signIn.signedInAdds':
    'Un autre moyen de connexion que vous choisissez ici est ajouté à votre compte. Pour vous connecter en tant qu’une autre personne, déconnectez-vous d’abord.',
  'signIn.continue': 'Continuer',
  'signIn.signOut': 'Se déconnecter',
  'signIn.needsScript':
    'Les clés d’accès ont besoin de JavaScript. Activez JavaScript pour ce site, puis rechargez la page.',
  'signIn.needsPasskeys':
    'Ce navigateur ne prend pas en charge les clés d’accès. Ouvrez cette page dans un autre navigateur pour vous connecter.',
  'email.submit': 'Recevoir un lien par e-mail',
  'email.hint': 'Sans mot de passe : nous vous envoyons un lien qui vous connecte.',
  'passkey.submit': 'Se connecter avec une clé d’accès',
  'passkey.hint': 'Avec votre empreinte, votre visage ou le verrouillage de l’écran. Sans mot de passe.',
  'passkey.new': 'Nouveau ici ?',
  'passkey.create': 'Créer une clé d’accès',
  'passkey.signUp': 'S’inscrire avec {provider}',
  'links.forgot': 'Mot de passe oublié ?',
  'links.signUpLead': 'Nouveau ici ?',
  'links.signUp': 'Créer un compte',
  'links.terms': 'Conditions',
  'links.privacy': 'Confidentialité',
  'links.support': 'Aide',
  'field.email': 'Adresse e-mail',
  'field.username': 'Nom d’utilisateur',
  'field.password': 'Mot de passe',
  'field.code': 'Code',
  'signIn.error.general': 'Nous n’avons pas pu vous connecter. Veuillez réessayer.',
  'signIn.error.notStarted':
    'Nous n’avons pas pu démarrer cette connexion. Veuillez réessayer ou vous connecter autrement.',
  'signIn.error.notCreated':
    'Nous n’avons pas pu créer de compte pour vous de cette façon. Veuillez vous connecter autrement.',
  'signIn.error.accountNotLinked':
    'Ce compte appartient ici à une autre personne. Connectez-vous avec le compte que vous utilisiez auparavant.',
  'signIn.error.callback': 'Cette connexion n’a pas pu aboutir. Veuillez recommencer ici.',
  'signIn.error.credentials': 'Ces informations ne correspondent à aucun compte. Vérifiez-les et réessayez.',
  'signIn.error.email': 'Nous n’avons pas pu envoyer l’e-mail. Vérifiez l’adresse et réessayez.',
  'signIn.error.emailUnavailable':
    'Nous ne pouvons pas envoyer d’e-mails pour le moment. Réessayez dans un instant ou connectez-vous autrement.',
  'signIn.error.csrf':
    'Cette page est restée ouverte trop longtemps, ou votre navigateur ne conserve pas nos cookies. Veuillez réessayer.',
  'signIn.error.otherWay':
    'Jusqu’ici, vous vous connectiez autrement avec cette adresse e-mail. Veuillez vous connecter de cette façon. Si c’était celle-ci, veuillez nous contacter.',
  'signIn.error.cancelled':
    'Cette connexion a été annulée, a pris trop de temps ou avait déjà été utilisée. Vous pouvez recommencer ici.',
  'signIn.error.expired': 'Cette connexion n’a pas abouti à temps. Vous pouvez recommencer ici.',
  'signIn.error.recent':
    'Votre connexion date un peu. Veuillez vous reconnecter d’une façon que vous utilisiez déjà, puis ajoutez la nouvelle. Pour vous connecter en tant qu’une autre personne, déconnectez-vous d’abord.',
  'signIn.error.recentOpenPage':
    'Votre connexion date un peu. Pour ouvrir cette page, veuillez vous reconnecter d’une façon que vous utilisiez déjà.',
  'signIn.error.recentEndSessions':
    'Votre connexion date un peu. Veuillez vous reconnecter d’une façon que vous utilisiez déjà, puis fermez les autres sessions.',
  'signIn.error.recentRemoveAccount':
    'Votre connexion date un peu. Veuillez vous reconnecter d’une façon que vous utilisiez déjà, puis retirez le compte.',
  'signIn.error.sessionChanged':
    'Entre-temps, vous ou quelqu’un d’autre vous êtes connecté ou déconnecté dans ce navigateur, ce qui a mis fin à cette connexion. Vous pouvez recommencer ici.',
  'signIn.error.sessionEnded':
    'Entre-temps, vous vous êtes déconnecté dans ce navigateur, ou votre session a pris fin. Rien n’a changé. Veuillez vous reconnecter.',
  'signIn.error.sessionRequired': 'Veuillez vous connecter pour voir cette page.',
  'signIn.error.addressTaken':
    'Vous avez déjà un compte ici avec la même adresse e-mail. Connectez-vous comme auparavant. Vous pourrez ensuite associer {provider}.',
  'signIn.error.otherId':
    '{provider} vous connaissait sous un autre identifiant. Connectez-vous autrement ou contactez-nous.',
  'signIn.error.addressTakenUnproven':
    'L’adresse e-mail de ce compte est déjà utilisée ici. Si c’est la vôtre, connectez-vous comme auparavant, ou avec un lien que nous vous envoyons. Vous pourrez ensuite associer {provider}.',
  'passkey.waiting': 'En attente de votre clé d’accès…',
  'passkey.signedIn': 'Vous êtes connecté. Un instant…',
  'passkey.error.failed': 'Cela n’a pas fonctionné. Veuillez réessayer ou vous connecter autrement.',
  'passkey.error.offline': 'Impossible de nous joindre pour le moment. Vérifiez votre connexion et réessayez.',
  'passkey.error.server': 'Un problème est survenu de notre côté. Veuillez réessayer plus tard.',
  'passkey.error.accessDenied': 'Cela a fonctionné, mais ce compte n’a pas accès à ce site.',
  'passkey.error.accountNotLinked': 'Un compte existe déjà avec cette adresse e-mail. Connectez-vous comme auparavant.',
  'passkey.error.alreadyRegistered':
    'Vous avez déjà une clé d’accès sur cet appareil. Utilisez-la pour vous connecter.',
  'passkey.error.cancelled':
    'L’opération a été annulée, ou cet appareil n’a pas de clé d’accès pour ce site. Vous pouvez réessayer.',
  'passkey.error.notCreated': 'L’opération a été annulée et aucune clé d’accès n’a été créée. Vous pouvez réessayer.',
  'passkey.error.noAuthenticator': 'Cet appareil ne le permet pas. Essayez un autre appareil ou une clé de sécurité.',
  'passkey.error.notAllowed': 'Votre navigateur n’autorise pas les clés d’accès sur cette page.',
  'passkey.error.notVerified':
    'Nous ne connaissons pas cette clé d’accès, ou n’avons pas pu la vérifier. Essayez une autre clé d’accès ou connectez-vous autrement.',
  'passkey.error.refused':
    'Nous ne pouvons pas créer de compte pour cette adresse. Si vous avez déjà un compte, connectez-vous comme auparavant.',
  'passkey.error.recent': 'Votre connexion date un peu. Veuillez vous reconnecter, puis ajoutez la clé d’accès.',
  'passkey.error.sessionChanged':
    'Entre-temps, vous ou quelqu’un d’autre vous êtes connecté ou déconnecté dans ce navigateur. Veuillez recharger la page.',
  'passkey.error.timedOut': 'Cela a pris trop de temps. Veuillez réessayer.',
  'passkey.error.unsupported': 'Ce navigateur ne prend pas en charge les clés d’accès.',
  'verifyRequest.title': 'Consultez vos e-mails',
  'verifyRequest.lead':
    'Nous vous avons envoyé un lien de connexion. Ouvrez-le dans ce navigateur pour être connecté immédiatement.',
  'verifyRequest.leadTo':
    'Nous avons envoyé un lien à {address}. Ouvrez-le dans ce navigateur pour être connecté immédiatement.',
  'verifyRequest.leadAgain':
    'Nous avons envoyé un autre lien à {address}. Ouvrez le plus récent dans ce navigateur pour être connecté immédiatement.',
  'verifyRequest.lifetime': 'Le lien fonctionne une seule fois et reste valable {lifetime}.',
  'verifyRequest.wait': 'Il peut mettre une minute ou deux à arriver.',
  'verifyRequest.junk': 'Si rien n’arrive, regardez aussi dans vos courriers indésirables.',
  'verifyRequest.again': 'Envoyer un autre lien',
  'verifyRequest.other': 'Utiliser une autre adresse',
  'confirm.title': 'Est-ce bien vous ?',
  'confirm.lead': 'Vous allez vous connecter à {site}.',
  'confirm.leadAs': 'Vous allez vous connecter à {site} en tant que {user}.',
  'confirm.submit': 'Se connecter',
  'confirm.hint': 'Si vous n’avez rien demandé, fermez cette page. Rien ne se passera.',
  'link.title': 'Associer {provider}',
  'link.titlePermission': 'Autorisation chez {provider}',
  'link.titleSignIn': 'Se connecter chez {provider}',
  'link.lead': 'Vous allez associer votre compte {provider} à votre compte sur {site}.',
  'link.leadPermission':
    '{provider} vous demande à nouveau votre autorisation. Votre compte sur {site} est déjà associé à un compte là-bas.',
  'link.leadSignIn':
    'Vous allez vous reconnecter chez {provider}, pour que {site} puisse utiliser votre compte là-bas.',
  'link.user': 'Vous êtes connecté en tant que {user}.',
  'link.way': 'Nous vous envoyons chez {provider}, puis vous revenez ici.',
  'link.afterwards': 'Ensuite, vous pourrez aussi vous connecter avec {provider}.',
  'link.anotherAccount':
    'Si vous y choisissez un autre compte, il sera associé aussi. Vous pourrez ensuite vous connecter avec lui également.',
  'link.scope': 'Nous demandons à {provider} des autorisations supplémentaires :',
  'link.submit': 'Associer {provider}',
  'link.submitContinue': 'Continuer vers {provider}',
  'link.back': 'Pas maintenant',
  'link.error.general': 'Le compte n’a pas pu être associé. Rien n’a changé. Vous pouvez réessayer.',
  'link.error.csrf':
    'Cette page est restée ouverte trop longtemps, ou votre navigateur ne conserve pas nos cookies. Veuillez appuyer de nouveau sur le bouton.',
  'link.error.cancelled':
    'L’opération a été annulée, a pris trop de temps ou avait déjà été utilisée. Rien n’a changé. Vous pouvez réessayer.',
  'link.error.ofAnotherUser':
    'Ce compte appartient ici à une autre personne et n’a donc pas été associé. Rien n’a changé. Pour associer un autre compte, appuyez sur le bouton. {provider} vous demandera alors lequel.',
  'link.error.ofAnotherUserSignOut':
    'Ce compte appartient ici à une autre personne et n’a donc pas été associé. Rien n’a changé. Pour associer un autre compte, déconnectez-vous d’abord de {provider}. Appuyez ensuite sur le bouton.',
  'signOut.title': 'Se déconnecter',
  'signOut.lead': 'Vous allez vous déconnecter de {site} sur cet appareil.',
  'signOut.also': 'Se déconnecter aussi de {provider}',
  'signOut.alsoSure': 'Vous serez aussi déconnecté de {provider}.',
  'signOut.submit': 'Se déconnecter',
  'signOut.stay': 'Rester connecté',
  'signOut.error.csrf':
    'Vous êtes toujours connecté : la page est restée ouverte trop longtemps, ou votre navigateur ne conserve pas nos cookies. Veuillez appuyer de nouveau sur le bouton.',
  'signedOut.title': 'Vous êtes déconnecté',
  'signedOut.lead': 'Personne n’est connecté à {site} dans ce navigateur.',
  'signedOut.signIn': 'Se connecter',
  'providerLogout.title': 'Se déconnecter de {provider}',
  'providerLogout.lead': 'Vous êtes déconnecté ici. Continuez pour vous déconnecter aussi de {provider}.',
  'providerLogout.submit': 'Continuer',
  'providerLogout.stay': 'Y rester connecté',
  'error.status': 'Erreur {status}',
  'error.toSignIn': 'Aller à la connexion',
  'error.startAgain': 'Recommencer',
  'error.tryAgain': 'Réessayer',
  'error.goBack': 'Retour',
  'error.otherAccount': 'Se connecter avec un autre compte',
  'error.sendLink': 'Envoyer un nouveau lien',
  'error.continue': 'Continuer',
  'error.home': 'Aller à l’accueil',
  'error.log': 'Pour les développeurs : le journal du serveur en indique la raison.',
  'error.general.title': 'Un problème est survenu',
  'error.general.text': 'Cela n’a pas fonctionné. Veuillez réessayer.',
  'error.accessDenied.title': 'Accès refusé',
  'error.accessDenied.text':
    'Vous vous êtes connecté, mais ce compte n’a pas accès à ce site. Si vous avez un autre compte, essayez celui-là.',
  'error.accessDenied.textId':
    'Votre identifiant sur l’autre site est trop long ou inhabituel. Veuillez nous contacter.',
  'error.configuration.title': 'Un problème de notre côté',
  'error.configuration.text':
    'Quelque chose est mal configuré et nous n’avons pas pu traiter votre demande. Veuillez réessayer plus tard.',
  'error.unavailable.title': 'Un instant, s’il vous plaît',
  'error.unavailable.text':
    'Une partie de notre service ne répond pas pour le moment. Rien n’est perdu. Veuillez réessayer dans un instant.',
  'error.sessionUnavailable.title': 'Un instant, s’il vous plaît',
  'error.sessionUnavailable.text':
    'Nous ne pouvons pas vérifier pour le moment si vous êtes connecté. Rien n’est perdu. Veuillez réessayer dans un instant.',
  'error.signOut.title': 'Déconnecté dans ce navigateur',
  'error.signOut.text':
    'Vous êtes déconnecté dans ce navigateur et vous n’avez rien à faire. De notre côté, votre session peut rester ouverte encore un moment. Cela n’a d’importance que si quelqu’un en possède une copie. Si vous le pensez, prévenez-nous.',
  'error.emailNotConfirmed.title': 'Cette adresse n’est pas confirmée',
  'error.emailNotConfirmed.text':
    'Quelqu’un s’est inscrit ici autrement avec cette adresse e-mail et ne l’a jamais confirmée. Si c’était vous, connectez-vous de cette façon. Sinon, prévenez les responsables de ce site. Le lien a été utilisé.',
  'error.verification.title': 'Ce lien ne fonctionne plus',
  'error.verification.text':
    'Il a déjà été utilisé ou a expiré. Connectez-vous à nouveau pour recevoir un nouveau lien.',
  'error.verification.textSend': 'Il a déjà été utilisé ou a expiré. Nous pouvons envoyer un nouveau lien à {address}.',
  'error.verification.textSignedIn':
    'Il a déjà été utilisé ou a expiré. Vous êtes déjà connecté et n’en avez pas besoin.',
  'error.passkey.title': 'Votre clé d’accès n’a pas été acceptée',
  'error.passkey.text': 'Nous n’avons pas pu la vérifier. Veuillez réessayer ou vous connecter autrement.',
  'error.notAllowed.title': 'Pas d’accès à cette page',
  'error.notAllowed.text':
    'Vous êtes connecté, mais votre compte ne peut pas ouvrir cette page. Si vous avez un autre compte, connectez-vous avec celui-là.',
  'refusal.general.title': 'Nous n’avons pas compris',
  'refusal.general.text': 'La demande était incomplète ou endommagée. Veuillez recommencer.',
  'refusal.notFound.title': 'Il n’y a rien ici',
  'refusal.notFound.text': 'Il n’y a pas de page à cette adresse. Vérifiez que l’adresse ne contient pas d’erreur.',
  'refusal.method.title': 'Cela ne fonctionne pas ici',
  'refusal.method.text': 'Cette adresse ne peut pas être utilisée ainsi. Veuillez recommencer.',
  'refusal.lastWay.title': 'Votre seul moyen de connexion',
  'refusal.lastWay.text':
    'Sans lui, vous ne pourriez plus vous connecter. Il n’a donc pas été retiré. Ajoutez d’abord un autre moyen de connexion.',
  'refusal.tooLarge.title': 'Trop volumineux',
  'refusal.tooLarge.text': 'Votre demande dépasse la taille acceptée. Veuillez la raccourcir et réessayer.',
  'refusal.format.title': 'Format inconnu',
  'refusal.format.text':
    'Votre demande a un format que nous ne pouvons pas lire. Veuillez utiliser le formulaire de ce site.',
  'refusal.form.title': 'Veuillez réessayer',
  'refusal.form.text':
    'La page est restée ouverte trop longtemps, ou votre navigateur ne conserve pas nos cookies. Rien n’a changé. Revenez en arrière et appuyez de nouveau sur le bouton.',
  'refusal.signedOut.title': 'Vous êtes déconnecté',
  'refusal.signedOut.text':
    'Entre-temps, vous vous êtes déconnecté dans ce navigateur, ou votre session a pris fin. Rien n’a changé. Reconnectez-vous, puis appuyez de nouveau sur le bouton.',
  'refusal.gone.title': 'Introuvable',
  'refusal.gone.text': 'Il a peut-être déjà été retiré. Revenez en arrière pour voir ce qui existe maintenant.',
  'site.unknown': 'ce site',
  'mail.signIn.subject': 'Connexion à {site}',
  'mail.signIn.preview': 'Votre lien est valable {lifetime}.',
  'mail.signIn.lead':
    'Quelqu’un, sans doute vous, a demandé ce lien. Il fonctionne une seule fois et reste valable {lifetime}.',
  'mail.signIn.open': 'Ouvrez ce lien dans votre navigateur :',
  'mail.signIn.button': 'Se connecter',
  'mail.signIn.copy': 'Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur :',
  'mail.signIn.ignore':
    'Si vous ne l’avez pas demandé, vous pouvez ignorer ce message. Sans le lien, personne ne peut se connecter.',
  'mail.notice.subject': '{title} : {site}',
  'mail.notice.added': 'Un nouveau moyen de connexion',
  'mail.notice.removed': 'Un moyen de connexion a été retiré',
  'mail.notice.accountLinked':
    '{provider} a été associé à votre compte sur {site}. Vous pouvez maintenant vous connecter ainsi.',
  'mail.notice.accountUnlinked':
    '{provider} a été dissocié de votre compte sur {site}. Vous ne pouvez plus vous connecter ainsi.',
  'mail.notice.passkeyAdded':
    'Une clé d’accès a été ajoutée à votre compte sur {site}. Vous pouvez maintenant vous connecter avec elle.',
  'mail.notice.passkeyRemoved':
    'Une clé d’accès a été retirée de votre compte sur {site}. Vous ne pouvez plus vous connecter avec elle.',
  'mail.notice.unknownProvider': 'Un fournisseur',
  'mail.notice.advice':
    'Si ce n’était pas vous, connectez-vous, fermez toutes les autres sessions et prévenez les responsables de ce site.',
}
