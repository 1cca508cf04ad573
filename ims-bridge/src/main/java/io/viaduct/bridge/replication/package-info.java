/// The state that the bridges of a domain share: each has a copy of all of it (ADR 0073).
@NullMarked
package io.viaduct.bridge.replication;

import org.jspecify.annotations.NullMarked;
