/// Rules of all REST interfaces: bearer tokens, headers of answers, refusals as problems (RFC
/// 9457).
@NullMarked
package io.viaduct.spring.rest;

import org.jspecify.annotations.NullMarked;
