/// DANUM billing: mediation, rating, settlement, ledger, and the REST interface over them.
@NullMarked
package io.viaduct.billing;

import org.jspecify.annotations.NullMarked;
