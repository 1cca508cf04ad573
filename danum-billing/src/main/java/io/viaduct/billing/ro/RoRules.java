package io.viaduct.billing.ro;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Duration;

/// Rules by which the charging system is asked.
///
/// @param chunk credit that an account has at hand; the next request is sent when half of it is
///   left
/// @param validity time after which a grant without Validity-Time is renewed
/// @param idle time without a session of the account after which its credit-control session ends
/// @param retry time after which a request without an answer is sent again, and a refused account
///   asks again
public record RoRules(MicroDenarii chunk, Duration validity, Duration idle, Duration retry) {}
