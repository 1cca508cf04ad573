/// One YAML file per process, bound to one immutable record, validated before anything starts.
@NullMarked
package io.viaduct.service.configuration;

import org.jspecify.annotations.NullMarked;
