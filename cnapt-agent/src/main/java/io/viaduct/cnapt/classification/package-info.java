/// Classification of flows: the application, and so the service class, by process name, protocol
/// and port. Based on Table I of the main paper (WiOptiMo, section IV-A).
@NullMarked
package io.viaduct.cnapt.classification;

import org.jspecify.annotations.NullMarked;
