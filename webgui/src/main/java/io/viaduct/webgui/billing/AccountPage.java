package io.viaduct.webgui.billing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// @param next cursor of the following page, null on the last page
public record AccountPage(List<Account> accounts, @Nullable String next) {
  public AccountPage {
    accounts = List.copyOf(accounts);
  }
}
