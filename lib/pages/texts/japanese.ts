import type { Texts } from './english.js'

/** The texts in Japanese, in the polite form. */
export const JAPANESE: Texts = {
  'signIn.title': 'ログイン',
  'signIn.lead': '{site} に進みます',
  'signIn.or': 'または',
  'signIn.with': '{provider} でログイン',
  'signIn.submit': 'ログイン',
  'signIn.remember': 'ログインしたままにする',
  'signIn.lastUsed': '前回使用',
  'signIn.nothing': 'ログインする方法がまだありません。',
  'signIn.signedIn': '{user} としてログインしています。',
  'signIn.signedInNote': '別のユーザーとしてログインすると、このブラウザーのこのセッションは終了します。',
  'signIn.signedInAdds':
    'ここで選んだ別のログイン方法は、現在のアカウントに追加されます。別のユーザーとしてログインするには、先にログアウトしてください。',
  'signIn.continue': '続ける',
  'signIn.signOut': 'ログアウト',
  'signIn.needsScript':
    'パスキーには JavaScript が必要です。このサイトで JavaScript を有効にして、ページを再読み込みしてください。',
  'signIn.needsPasskeys':
    'このブラウザーはパスキーに対応していません。別のブラウザーでこのページを開いてログインしてください。',
  'email.submit': 'メールでリンクを受け取る',
  'email.hint': 'パスワードは不要です。ログイン用のリンクをお送りします。',
  'passkey.submit': 'パスキーでログイン',
  'passkey.hint': '指紋、顔、または画面ロックを使います。パスワードは不要です。',
  'passkey.new': 'はじめての方',
  'passkey.create': 'パスキーを作成',
  'passkey.signUp': '{provider} で登録',
  'links.forgot': 'パスワードをお忘れですか？',
  'links.signUpLead': 'はじめての方',
  'links.signUp': 'アカウントを作成',
  'links.terms': '利用規約',
  'links.privacy': 'プライバシー',
  'links.support': 'ヘルプ',
  'field.email': 'メールアドレス',
  'field.username': 'ユーザー名',
  'field.password': 'パスワード',
  'field.code': 'コード',
  'signIn.error.general': 'ログインできませんでした。もう一度お試しください。',
  'signIn.error.notStarted': 'ログインを開始できませんでした。もう一度試すか、別の方法でログインしてください。',
  'signIn.error.notCreated': 'その方法ではアカウントを作成できませんでした。別の方法でログインしてください。',
  'signIn.error.accountNotLinked':
    'そのアカウントは、ここでは別の方のものです。以前使ったアカウントでログインしてください。',
  'signIn.error.callback': 'ログインを完了できませんでした。ここからやり直してください。',
  'signIn.error.credentials': '入力内容に一致するアカウントがありません。確認して、もう一度お試しください。',
  'signIn.error.email': 'メールを送信できませんでした。アドレスを確認して、もう一度お試しください。',
  'signIn.error.emailUnavailable':
    '現在メールを送信できません。しばらくしてからもう一度試すか、別の方法でログインしてください。',
  'signIn.error.csrf': 'ページが長い間開かれていたか、ブラウザーが Cookie を保存していません。もう一度お試しください。',
  'signIn.error.otherWay':
    'このメールアドレスでは、これまで別の方法でログインしています。その方法でログインしてください。この方法だった場合は、お問い合わせください。',
  'signIn.error.cancelled':
    'ログインがキャンセルされたか、時間がかかりすぎたか、すでに使用されています。ここからやり直せます。',
  'signIn.error.expired': '時間内にログインを完了できませんでした。ここからやり直せます。',
  'signIn.error.recent':
    'ログインしてから時間がたっています。これまでの方法でもう一度ログインしてから、新しい方法を追加してください。別のユーザーとしてログインするには、先にログアウトしてください。',
  'signIn.error.recentOpenPage':
    'ログインしてから時間がたっています。このページを開くには、これまでの方法でもう一度ログインしてください。',
  'signIn.error.recentEndSessions':
    'ログインしてから時間がたっています。これまでの方法でもう一度ログインしてから、ほかのセッションを終了してください。',
  'signIn.error.recentRemoveAccount':
    'ログインしてから時間がたっています。これまでの方法でもう一度ログインしてから、アカウントを削除してください。',
  'signIn.error.sessionChanged':
    'このブラウザーで、その間にログインまたはログアウトがありました。そのため、このログインは中止されました。ここからやり直せます。',
  'signIn.error.sessionEnded':
    'このブラウザーで、その間にログアウトしたか、セッションが終了しました。何も変わっていません。もう一度ログインしてください。',
  'signIn.error.sessionRequired': 'そのページを見るにはログインしてください。',
  'signIn.error.addressTaken':
    '同じメールアドレスのアカウントがすでにあります。これまでの方法でログインしてください。その後 {provider} を接続できます。',
  'signIn.error.otherId': '{provider} での ID が以前と異なります。別の方法でログインするか、お問い合わせください。',
  'signIn.error.addressTakenUnproven':
    'そのアカウントのメールアドレスは、ここですでに使われています。ご自分のものであれば、これまでの方法か、メールでお送りするリンクでログインしてください。その後 {provider} を接続できます。',
  'passkey.waiting': 'パスキーを待っています…',
  'passkey.signedIn': 'ログインしました。少々お待ちください…',
  'passkey.error.failed': 'うまくいきませんでした。もう一度試すか、別の方法でログインしてください。',
  'passkey.error.offline': '現在サーバーに接続できません。接続を確認して、もう一度お試しください。',
  'passkey.error.server': 'サーバー側で問題が発生しました。しばらくしてからもう一度お試しください。',
  'passkey.error.accessDenied': '確認できましたが、このアカウントにはアクセス権がありません。',
  'passkey.error.accountNotLinked':
    'そのメールアドレスのアカウントがすでにあります。これまでの方法でログインしてください。',
  'passkey.error.alreadyRegistered': 'このデバイスにはすでにパスキーがあります。それを使ってログインしてください。',
  'passkey.error.cancelled': 'キャンセルされたか、このデバイスにこのサイトのパスキーがありません。もう一度試せます。',
  'passkey.error.notCreated': 'キャンセルされたため、パスキーは作成されませんでした。もう一度試せます。',
  'passkey.error.noAuthenticator': 'このデバイスではできません。別のデバイスかセキュリティキーをお試しください。',
  'passkey.error.notAllowed': 'このページでは、ブラウザーがパスキーを許可していません。',
  'passkey.error.notVerified':
    'そのパスキーは登録されていないか、確認できませんでした。別のパスキーを使うか、別の方法でログインしてください。',
  'passkey.error.refused':
    'そのアドレスではアカウントを作成できません。すでにアカウントをお持ちの場合は、これまでの方法でログインしてください。',
  'passkey.error.recent': 'ログインしてから時間がたっています。もう一度ログインしてから、パスキーを追加してください。',
  'passkey.error.sessionChanged':
    'このブラウザーで、その間にログインまたはログアウトがありました。ページを再読み込みしてください。',
  'passkey.error.timedOut': '時間がかかりすぎました。もう一度お試しください。',
  'passkey.error.unsupported': 'このブラウザーはパスキーに対応していません。',
  'verifyRequest.title': 'メールをご確認ください',
  'verifyRequest.lead': 'ログイン用のリンクをお送りしました。このブラウザーで開くと、すぐにログインできます。',
  'verifyRequest.leadTo': '{address} にリンクをお送りしました。このブラウザーで開くと、すぐにログインできます。',
  'verifyRequest.leadAgain':
    '{address} に新しいリンクをお送りしました。最新のものをこのブラウザーで開くと、すぐにログインできます。',
  'verifyRequest.lifetime': 'リンクが使えるのは 1 回だけで、有効期間は{lifetime}です。',
  'verifyRequest.wait': '届くまでに 1、2 分かかることがあります。',
  'verifyRequest.junk': '届かない場合は、迷惑メールもご確認ください。',
  'verifyRequest.again': '別のリンクを送る',
  'verifyRequest.other': '別のアドレスを使う',
  'confirm.title': 'ご本人ですか？',
  'confirm.lead': '{site} にログインしようとしています。',
  'confirm.leadAs': '{user} として {site} にログインしようとしています。',
  'confirm.submit': 'ログイン',
  'confirm.hint': '心当たりがない場合は、このページを閉じてください。何も起こりません。',
  'link.title': '{provider} を接続',
  'link.titlePermission': '{provider} での許可',
  'link.titleSignIn': '{provider} にログイン',
  'link.lead': '{provider} のアカウントを {site} のアカウントに接続しようとしています。',
  'link.leadPermission':
    '{provider} がもう一度許可を求めます。{site} のアカウントは、すでにそこのアカウントと接続されています。',
  'link.leadSignIn': '{site} が {provider} のアカウントを使えるように、もう一度そこにログインします。',
  'link.user': '{user} としてログインしています。',
  'link.way': '{provider} に移動し、その後ここに戻ります。',
  'link.afterwards': 'その後は {provider} でもログインできます。',
  'link.anotherAccount': 'そこで別のアカウントを選ぶと、それも接続されます。その後はそれでもログインできます。',
  'link.scope': '{provider} に追加の権限を求めます:',
  'link.submit': '{provider} を接続',
  'link.submitContinue': '{provider} に進む',
  'link.back': '今はしない',
  'link.error.general': 'アカウントを接続できませんでした。何も変わっていません。もう一度試せます。',
  'link.error.csrf':
    'ページが長い間開かれていたか、ブラウザーが Cookie を保存していません。もう一度ボタンを押してください。',
  'link.error.cancelled':
    'キャンセルされたか、時間がかかりすぎたか、すでに使用されています。何も変わっていません。もう一度試せます。',
  'link.error.ofAnotherUser':
    'そのアカウントは、ここでは別の方のものなので、接続されませんでした。何も変わっていません。別のアカウントを接続するには、ボタンを押してください。どのアカウントか {provider} が尋ねます。',
  'link.error.ofAnotherUserSignOut':
    'そのアカウントは、ここでは別の方のものなので、接続されませんでした。何も変わっていません。別のアカウントを接続するには、先に {provider} からログアウトしてください。その後ボタンを押してください。',
  'signOut.title': 'ログアウト',
  'signOut.lead': 'このデバイスで {site} からログアウトしようとしています。',
  'signOut.also': '{provider} からもログアウトする',
  'signOut.alsoSure': '{provider} からもログアウトします。',
  'signOut.submit': 'ログアウト',
  'signOut.stay': 'ログインしたままにする',
  'signOut.error.csrf':
    'まだログインしています。ページが長い間開かれていたか、ブラウザーが Cookie を保存していません。もう一度ボタンを押してください。',
  'signedOut.title': 'ログアウトしています',
  'signedOut.lead': 'このブラウザーでは、だれも {site} にログインしていません。',
  'signedOut.signIn': 'ログイン',
  'providerLogout.title': '{provider} からログアウト',
  'providerLogout.lead': 'ここからはログアウトしました。続けると {provider} からもログアウトします。',
  'providerLogout.submit': '続ける',
  'providerLogout.stay': 'そちらはログインしたままにする',
  'error.status': 'エラー {status}',
  'error.toSignIn': 'ログインへ',
  'error.startAgain': 'やり直す',
  'error.tryAgain': 'もう一度試す',
  'error.goBack': '戻る',
  'error.otherAccount': '別のアカウントでログイン',
  'error.sendLink': '新しいリンクを送る',
  'error.continue': '続ける',
  'error.home': 'トップページへ',
  'error.log': '開発者向け: 理由はサーバーのログにあります。',
  'error.general.title': '問題が発生しました',
  'error.general.text': 'うまくいきませんでした。もう一度お試しください。',
  'error.accessDenied.title': 'アクセスできません',
  'error.accessDenied.text':
    'ログインしましたが、このアカウントにはアクセス権がありません。別のアカウントがあれば、それでお試しください。',
  'error.accessDenied.textId': '連携先での ID が長すぎるか、使用できない文字を含みます。お問い合わせください。',
  'error.configuration.title': 'サーバー側の問題です',
  'error.configuration.text':
    '設定に誤りがあり、リクエストを処理できませんでした。しばらくしてからもう一度お試しください。',
  'error.unavailable.title': '少々お待ちください',
  'error.unavailable.text':
    'サービスの一部が現在応答していません。何も失われていません。しばらくしてからもう一度お試しください。',
  'error.sessionUnavailable.title': '少々お待ちください',
  'error.sessionUnavailable.text':
    'ログインしているかどうかを現在確認できません。何も失われていません。しばらくしてからもう一度お試しください。',
  'error.signOut.title': 'このブラウザーからログアウトしました',
  'error.signOut.text':
    'このブラウザーからログアウトしました。ほかに必要な操作はありません。サーバー側では、セッションがしばらく残ることがあります。問題になるのは、だれかがその写しを持っている場合だけです。心当たりがあれば、お知らせください。',
  'error.emailNotConfirmed.title': 'このアドレスは確認されていません',
  'error.emailNotConfirmed.text':
    'だれかがこのメールアドレスで別の方法で登録し、確認を済ませていません。ご自分であれば、その方法でログインしてください。そうでなければ、このサイトの運営者にお知らせください。このリンクは使用済みです。',
  'error.verification.title': 'このリンクは使えません',
  'error.verification.text':
    'すでに使用されたか、期限が切れています。新しいリンクを受け取るには、もう一度ログインしてください。',
  'error.verification.textSend': 'すでに使用されたか、期限が切れています。{address} に新しいリンクをお送りできます。',
  'error.verification.textSignedIn':
    'すでに使用されたか、期限が切れています。すでにログインしているので、必要ありません。',
  'error.passkey.title': 'パスキーが認められませんでした',
  'error.passkey.text': '確認できませんでした。もう一度試すか、別の方法でログインしてください。',
  'error.notAllowed.title': 'このページにはアクセスできません',
  'error.notAllowed.text':
    'ログインしていますが、このアカウントではこのページを開けません。別のアカウントがあれば、それでログインしてください。',
  'refusal.general.title': 'リクエストを理解できませんでした',
  'refusal.general.text': 'リクエストが不完全か、壊れています。やり直してください。',
  'refusal.notFound.title': 'ここには何もありません',
  'refusal.notFound.text': 'このアドレスにページはありません。アドレスに誤りがないか確認してください。',
  'refusal.method.title': 'ここではできません',
  'refusal.method.text': 'このアドレスはその方法では使えません。やり直してください。',
  'refusal.lastWay.title': '唯一のログイン方法です',
  'refusal.lastWay.text':
    'これがないとログインできなくなるため、削除されませんでした。先に別のログイン方法を追加してください。',
  'refusal.tooLarge.title': '大きすぎます',
  'refusal.tooLarge.text': 'リクエストが大きすぎます。短くして、もう一度お試しください。',
  'refusal.format.title': '不明な形式です',
  'refusal.format.text': 'リクエストの形式を読み取れません。このサイトのフォームをお使いください。',
  'refusal.form.title': 'もう一度お試しください',
  'refusal.form.text':
    'ページが長い間開かれていたか、ブラウザーが Cookie を保存していません。何も変わっていません。戻って、もう一度ボタンを押してください。',
  'refusal.signedOut.title': 'ログアウトしています',
  'refusal.signedOut.text':
    'このブラウザーで、その間にログアウトしたか、セッションが終了しました。何も変わっていません。もう一度ログインしてから、ボタンを押してください。',
  'refusal.gone.title': '見つかりません',
  'refusal.gone.text': 'すでに削除された可能性があります。戻って、現在の内容をご確認ください。',
  'site.unknown': 'このサイト',
  'mail.signIn.subject': '{site} へのログイン',
  'mail.signIn.preview': 'リンクの有効期間は{lifetime}です。',
  'mail.signIn.lead':
    'このリンクが要求されました。おそらくご本人によるものです。使えるのは 1 回だけで、有効期間は{lifetime}です。',
  'mail.signIn.open': 'このリンクをブラウザーで開いてください:',
  'mail.signIn.button': 'ログイン',
  'mail.signIn.copy': 'ボタンが使えない場合は、このアドレスをブラウザーにコピーしてください:',
  'mail.signIn.ignore':
    '心当たりがない場合は、このメールを無視してください。リンクがなければ、だれもログインできません。',
  'mail.notice.subject': '{title}: {site}',
  'mail.notice.added': '新しいログイン方法が追加されました',
  'mail.notice.removed': 'ログイン方法が削除されました',
  'mail.notice.accountLinked':
    '{provider} が {site} のアカウントに接続されました。これからは、それでログインできます。',
  'mail.notice.accountUnlinked':
    '{provider} と {site} のアカウントの接続が解除されました。それではログインできなくなりました。',
  'mail.notice.passkeyAdded': '{site} のアカウントにパスキーが追加されました。これからは、それでログインできます。',
  'mail.notice.passkeyRemoved': '{site} のアカウントからパスキーが削除されました。それではログインできなくなりました。',
  'mail.notice.unknownProvider': '外部サービス',
  'mail.notice.advice':
    '心当たりがない場合は、ログインしてほかのセッションをすべて終了し、このサイトの運営者にお知らせください。',
}
