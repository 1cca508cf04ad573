/// Accounts: their password hashes, login sessions, top-ups and credits.
@NullMarked
package io.viaduct.billing.account;

import org.jspecify.annotations.NullMarked;
