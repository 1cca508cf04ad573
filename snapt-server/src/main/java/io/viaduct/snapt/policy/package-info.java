/// The policy for devices' packets: destinations that are refused, and the rate of an account.
@NullMarked
package io.viaduct.snapt.policy;

import org.jspecify.annotations.NullMarked;
