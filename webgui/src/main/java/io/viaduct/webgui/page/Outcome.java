package io.viaduct.webgui.page;

import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/// Tells the next page what became of a form: done, refused, changed by somebody else meanwhile, or
/// not known because billing did not answer. The fragment `outcome` shows it.
public final class Outcome {
  private static final int CHANGED_MEANWHILE = 412;

  /// The form shows that there was nothing yet, and now there is.
  private static final int VERSION_REQUIRED = 428;

  private Outcome() {}

  /// Carries out an action.
  ///
  /// @param done key of the message for success; null says nothing
  /// @return true if it was done
  public static boolean of(RedirectAttributes page, @Nullable String done, Runnable action) {
    return get(
            page,
            done,
            () -> {
              action.run();
              return true;
            })
        .isPresent();
  }

  /// Carries out an action that returns something.
  ///
  /// @param done key of the message for success; null says nothing
  /// @return what the action returned; empty if it was not done
  public static <T> Optional<T> get(
      RedirectAttributes page, @Nullable String done, Supplier<T> action) {
    try {
      T returned = action.get();
      if (done != null) {
        page.addFlashAttribute("done", done);
      }
      return Optional.of(returned);
    } catch (PeerAwayException e) {
      problem(page, "outcome.away");
    } catch (PeerRefusedException e) {
      if (e.status() == CHANGED_MEANWHILE || e.status() == VERSION_REQUIRED) {
        problem(page, "outcome.changed");
      } else {
        problem(page, "outcome.refused");
        Refusals.attributes(e).forEach(page::addFlashAttribute);
      }
    } catch (NumberFormatException e) {
      problem(page, "outcome.amount");
    } catch (DateTimeParseException e) {
      problem(page, "outcome.time");
    }
    return Optional.empty();
  }

  /// Says what to mend.
  ///
  /// @param problem key of the message
  public static void problem(RedirectAttributes page, String problem) {
    page.addFlashAttribute("problem", problem);
  }
}
