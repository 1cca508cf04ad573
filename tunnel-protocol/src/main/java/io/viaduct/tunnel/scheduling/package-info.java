/// Which compound leaves first, and which one waits for company.
@NullMarked
package io.viaduct.tunnel.scheduling;

import org.jspecify.annotations.NullMarked;
