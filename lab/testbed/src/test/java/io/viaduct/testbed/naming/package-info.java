/// A device whose resolvers die with the networks that they are in.
@NullMarked
package io.viaduct.testbed.naming;

import org.jspecify.annotations.NullMarked;
