package io.viaduct.webgui;

import java.util.List;

/// Addresses of all pages, with the accounts and charges of [Scenery].
public final class PageAddresses {
  public static final List<String> OF_USERS =
      List.of(
          "/",
          "/accounts/alice/charges",
          "/accounts/alice/charges?application=nobody",
          "/accounts/alice/charges?by=device",
          "/accounts/alice/charges?from=2026-11-20&to=2026-11-21&class=HT_LD",
          "/accounts/alice/savings",
          "/accounts/alice/usage?by=day,class",
          "/accounts/alice/top-ups",
          "/accounts/alice/credits",
          "/accounts/alice/user",
          "/accounts/alice/top-up",
          "/accounts/alice/limits",
          "/accounts/alice/tokens",
          "/accounts/alice/second-factor",
          "/accounts/alice/webhooks",
          "/accounts/alice/webhooks/4",
          "/accounts/alice/statement?month=2026-11",
          "/charges/c1");

  public static final List<String> OF_OPERATORS =
      List.of(
          "/accounts",
          "/accounts/alice",
          "/accounts/alice/charges",
          "/accounts?search=nobody&state=below-zero&sort=spent-today",
          "/accounts/alice/user",
          "/accounts/alice/credit",
          "/accounts/olga/webhooks",
          "/charges/c1",
          "/audit",
          "/audit?account=olga&about=alice",
          "/cdr-files",
          "/credit",
          "/ledger",
          "/operator",
          "/registrations",
          "/tariffs",
          "/tariffs/2",
          "/tariffs/diff?to=2",
          "/tariffs/1/rollback",
          "/tariffs/drafts/5",
          "/tariffs/drafts/5/diff?from=1",
          "/tariffs/drafts/5/publish",
          "/tariffs/trials",
          "/tariffs/trials/7",
          "/snapts",
          "/reports",
          "/owners/acme/fees",
          "/vouchers",
          "/reratings",
          "/reports/held/7/release",
          "/reports/unsigned/9/void");

  private PageAddresses() {}

  /// Returns the address as it may stand in a file's name: `-accounts-alice-tokens`.
  static String name(String address) {
    return address.replaceAll("[^a-zA-Z0-9]+", "-");
  }
}
