/// The IMS core that the bridge serves as an application server: its trusted peers, and the headers
/// by which they tell about users and charging.
@NullMarked
package io.viaduct.bridge.core;

import org.jspecify.annotations.NullMarked;
