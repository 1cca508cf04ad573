/// Certificates and keys of the operator's authority for one run.
@NullMarked
package io.viaduct.testbed.pki;

import org.jspecify.annotations.NullMarked;
