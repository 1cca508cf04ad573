/// The operator's authority: certificates and keys for one run.
@NullMarked
package io.viaduct.testbed.pki;

import org.jspecify.annotations.NullMarked;
