/// Network utility maximisation on small networks: the price method of the main paper beside an
/// exhaustive search.
@NullMarked
package io.viaduct.billing.num;

import org.jspecify.annotations.NullMarked;
