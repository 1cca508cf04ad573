/// Who may log in and is billed: accounts, password hashes, login sessions, top-ups.
@NullMarked
package io.viaduct.billing.account;

import org.jspecify.annotations.NullMarked;
