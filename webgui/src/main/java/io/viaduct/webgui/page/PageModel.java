package io.viaduct.webgui.page;

import io.viaduct.webgui.login.SignedIn;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ModelAttribute;

/// Gives every template the visitor and the formats of quantities.
@ControllerAdvice
class PageModel {
  private final Display display;

  PageModel(Display display) {
    this.display = display;
  }

  @ModelAttribute("display")
  Display display() {
    return display;
  }

  /// Null on pages that need no log-in.
  @ModelAttribute("visitor")
  @Nullable SignedIn visitor() {
    Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
    return authentication != null && authentication.getPrincipal() instanceof SignedIn visitor
        ? visitor
        : null;
  }
}
