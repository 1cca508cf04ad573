/// Accounting records (RFC 2866): their attributes, and their reading.
@NullMarked
package io.viaduct.radius.accounting;

import org.jspecify.annotations.NullMarked;
