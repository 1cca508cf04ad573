/// The log-in: passwords are checked by billing, the browser session holds the bearer token, and
/// one list says which page is open to which role.
@NullMarked
package io.viaduct.webgui.login;

import org.jspecify.annotations.NullMarked;
