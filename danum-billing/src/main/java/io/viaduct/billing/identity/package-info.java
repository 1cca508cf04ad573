/// Log-ins by an OpenID Connect provider: its ID tokens, and the accounts that belong to them.
@NullMarked
package io.viaduct.billing.identity;

import org.jspecify.annotations.NullMarked;
