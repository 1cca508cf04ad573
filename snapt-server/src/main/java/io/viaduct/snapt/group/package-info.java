/// The group of SNAPTs that hand sessions over to each other: requests in both directions, and the
/// public addresses that have moved.
@NullMarked
package io.viaduct.snapt.group;

import org.jspecify.annotations.NullMarked;
