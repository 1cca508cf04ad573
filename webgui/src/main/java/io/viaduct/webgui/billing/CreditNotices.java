package io.viaduct.webgui.billing;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A page of notices that an account's credit became low, exhausted or sufficient, or that a cap
/// was reached, latest first.
///
/// @param next cursor of the following page, null on the last page
public record CreditNotices(List<Notice> notices, @Nullable String next) {
  public CreditNotices {
    notices = List.copyOf(notices);
  }

  /// One notice.
  ///
  /// @param state the new state of the credit; `cap-day` or `cap-month` for a cap
  /// @param delivery by the webhook: `none`, `due`, `delivered` or `given-up`; null for a user
  public record Notice(
      String state,
      MicroDenarii creditMicrodenarii,
      Instant noticedAt,
      @Nullable String delivery,
      @Nullable String lastError) {
    private static final Set<String> CAPS = Set.of("cap-day", "cap-month");

    public Notice {
      state = CAPS.contains(state) ? state : AccountCredit.known(state);
      Objects.requireNonNull(creditMicrodenarii);
      Objects.requireNonNull(noticedAt);
    }
  }
}
