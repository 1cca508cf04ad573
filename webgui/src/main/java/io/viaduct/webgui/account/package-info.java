/// Pages of one account: balance, charges with their reason, top-up, and the live relay.
@NullMarked
package io.viaduct.webgui.account;

import org.jspecify.annotations.NullMarked;
