package io.viaduct.webgui.page;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.LocaleResolver;

/// The choice of a language at the foot of each page that can be shown again; works without
/// JavaScript. A stranger's page of an error has none, since its form would need a session.
@Controller
class LanguageChoice {
  private final Languages languages;
  private final LocaleResolver viewer;

  LanguageChoice(Languages languages, LocaleResolver viewer) {
    this.languages = languages;
    this.viewer = viewer;
  }

  /// Keeps the language and shows the same page again. A language that we do not have changes
  /// nothing.
  @PostMapping("/language")
  String choose(
      @RequestParam String language,
      @RequestHeader(name = HttpHeaders.REFERER, required = false) @Nullable String page,
      HttpServletRequest request,
      HttpServletResponse response) {
    languages.find(language).ifPresent(chosen -> choose(chosen, request, response));
    return "redirect:" + path(page);
  }

  private void choose(Locale chosen, HttpServletRequest request, HttpServletResponse response) {
    viewer.setLocale(request, response, chosen);
  }

  /// Path and query of a page of ours; the rest of the header is the browser's word.
  private static String path(@Nullable String page) {
    try {
      URI address = URI.create(page == null ? "/" : page);
      String path = String.valueOf(address.getRawPath());
      String query = address.getRawQuery();
      return path.startsWith("/") && !path.startsWith("//")
          ? path + (query == null ? "" : "?" + query)
          : "/";
    } catch (IllegalArgumentException e) {
      return "/";
    }
  }
}
