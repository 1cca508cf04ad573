/// Which application a flow belongs to, and so its service class: Table I of the main paper
/// (WiOptiMo, section IV-A) by process name, protocol and port.
@NullMarked
package io.viaduct.cnapt.classification;

import org.jspecify.annotations.NullMarked;
