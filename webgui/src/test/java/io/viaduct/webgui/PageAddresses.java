package io.viaduct.webgui;

import java.util.List;

/// Addresses of all pages, with the accounts and charges of [Scenery].
public final class PageAddresses {
  public static final List<String> OF_USERS =
      List.of(
          "/",
          "/accounts/alice/charges",
          "/accounts/alice/charges?application=nobody",
          "/accounts/alice/usage?by=day,class",
          "/accounts/alice/top-ups",
          "/accounts/alice/credits",
          "/accounts/alice/user",
          "/accounts/alice/top-up",
          "/charges/c1");

  public static final List<String> OF_OPERATORS =
      List.of(
          "/accounts",
          "/accounts/alice",
          "/accounts/alice/charges",
          "/accounts/alice/user",
          "/charges/c1",
          "/snapts",
          "/reports",
          "/vouchers",
          "/reports/held/7/release",
          "/reports/unsigned/9/void");

  private PageAddresses() {}
}
