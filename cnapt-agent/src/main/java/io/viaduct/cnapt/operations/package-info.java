/// Shows an operator the status of the agent and its meters.
@NullMarked
package io.viaduct.cnapt.operations;

import org.jspecify.annotations.NullMarked;
