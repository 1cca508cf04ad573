/// Mediation of usage reports: mutual TLS, parsing, validation, and one verdict for each report.
@NullMarked
package io.viaduct.billing.mediation;

import org.jspecify.annotations.NullMarked;
