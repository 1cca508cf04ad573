/// The parts of the system as processes of the laboratory: started, supervised, killed, and asked
/// for readiness.
@NullMarked
package io.viaduct.testbed.process;

import org.jspecify.annotations.NullMarked;
