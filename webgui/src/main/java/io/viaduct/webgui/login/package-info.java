/// Who is looking: log-in against billing, the browser session that holds the bearer token, and
/// which page is open to whom.
@NullMarked
package io.viaduct.webgui.login;

import org.jspecify.annotations.NullMarked;
