package io.viaduct.billing.rest;

import io.viaduct.billing.credit.CreditNotice;
import java.time.Instant;
import java.util.Locale;

/// A change of an account's credit state, or a cap that was reached, as event streams send it.
///
/// @param state `sufficient`, `low`, `exhausted`, `cap-day` or `cap-month`
/// @param creditMicrodenarii balance and credit limit at the change
record NoticeView(String account, String state, String creditMicrodenarii, Instant noticedAt) {
  static NoticeView of(CreditNotice notice) {
    return new NoticeView(
        notice.account(),
        notice.edge().name().toLowerCase(Locale.ROOT).replace('_', '-'),
        notice.credit().toString(),
        notice.noticedAt());
  }
}
