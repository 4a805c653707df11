#include "calibrate/fits/least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace epwise::calibrate {

namespace {

constexpr int kMostSteps = 100;
constexpr int kScaleRounds = 6;
constexpr double kDifference = 1e-5;  // of a logarithm
constexpr double kLeastGain = 1e-9;   // of the loss; the search ends below it
constexpr double kMostDamping = 1e9;
constexpr double kReach = 2;           // beyond this many deviations a residual pulls no harder
constexpr double kReachMean = 0.9205;  // of min(z², kReach²) for a normal z
constexpr double kLeastScale = 1e-9;

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

Vector to_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// One search for a given scale of the residuals.
class Search {
 public:
  explicit Search(const FitProblem& problem)
      : problem_(problem),
        at_(problem.start),
        residuals_(to_vector(problem.residuals(at_))) {}

  void run(double scale) {
    scale_ = scale;
    double damping = 1e-3;
    double best = loss(residuals_);
    for (int step = 0; step < kMostSteps && damping < kMostDamping; ++step) {
      const Matrix slope = derivatives();
      const Vector weight = weights();
      const Matrix normal = slope.transpose() * weight.asDiagonal() * slope;
      const Vector gradient = slope.transpose() * weight.asDiagonal() * residuals_;
      const double before = best;
      bool better = false;
      while (!better && damping < kMostDamping) {
        Matrix damped = normal;
        damped.diagonal() =
            damped.diagonal() * (1 + damping) + Vector::Constant(damped.rows(), 1e-12);
        const std::vector<double> next = moved(-damped.ldlt().solve(gradient));
        const Vector there = to_vector(problem_.residuals(next));
        const double now = loss(there);
        better = now < best;
        damping *= better ? 0.2 : 5;
        if (better) {
          at_ = next;
          residuals_ = there;
          best = now;
        }
      }
      if (before - best <= kLeastGain * before) {
        break;
      }
    }
    loss_ = best;
  }

  /// Of residuals clipped at kReach, for the remaining degrees of freedom.
  double estimated_scale() const {
    const auto left = std::max<double>(
        1, static_cast<double>(residuals_.size()) - static_cast<double>(at_.size()));
    std::vector<double> sizes(static_cast<std::size_t>(residuals_.size()));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      sizes[i] = std::abs(residuals_(static_cast<Eigen::Index>(i)));
    }
    std::nth_element(
        sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2), sizes.end());
    double scale = std::max(1.4826 * sizes[sizes.size() / 2], kLeastScale);
    for (int round = 0; round < kScaleRounds; ++round) {
      const double cut = kReach * scale;
      const double sum = residuals_.array().square().min(cut * cut).sum();
      scale = std::max(std::sqrt(sum / (left * kReachMean)), kLeastScale);
    }
    return scale;
  }

  FitSolution solution(double scale) const {
    FitSolution result;
    result.parameters = at_;
    result.scale = scale;
    result.loss = loss_;
    result.covariance = covariance(scale);
    return result;
  }

 private:
  double loss(const Vector& residuals) const {
    double sum = 0;
    for (const double residual : residuals) {
      const double size = std::abs(residual) / scale_;
      sum += size <= kReach ? size * size : kReach * (2 * size - kReach);
    }
    return std::isfinite(sum) ? sum : std::numeric_limits<double>::max();
  }

  Vector weights() const {
    Vector result(residuals_.size());
    for (Eigen::Index i = 0; i < residuals_.size(); ++i) {
      const double size = std::abs(residuals_(i)) / scale_;
      result(i) = size <= kReach ? 1 : kReach / size;
    }
    return result;
  }

  /// With respect to logarithms of the parameters.
  Matrix derivatives() const {
    Matrix result(residuals_.size(), static_cast<Eigen::Index>(at_.size()));
    for (std::size_t i = 0; i < at_.size(); ++i) {
      std::vector<double> moved = at_;
      const double up = at_[i] * std::exp(kDifference);
      const double step = up <= problem_.high[i] ? kDifference : -kDifference;
      moved[i] = at_[i] * std::exp(step);
      result.col(static_cast<Eigen::Index>(i)) =
          (to_vector(problem_.residuals(moved)) - residuals_) / step;
    }
    return result;
  }

  std::vector<double> moved(const Vector& by) const {
    constexpr double kFarthest = 1.5;  // one step changes a parameter by a factor of at most 4.5
    std::vector<double> result = at_;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const double step = std::clamp(by(static_cast<Eigen::Index>(i)), -kFarthest, kFarthest);
      result[i] = std::clamp(at_[i] * std::exp(step), problem_.low[i], problem_.high[i]);
    }
    return result;
  }

  /// Whether the observations determine a parameter. One at a bound still counts: omitting it would
  /// make its neighbours look more certain than they are.
  static bool is_seen(std::size_t i, const Matrix& slope) {
    constexpr double kLeastSlope = 1e-6;
    return slope.col(static_cast<Eigen::Index>(i)).norm() > kLeastSlope;
  }

  std::vector<std::vector<double>> covariance(double scale) const {
    const std::size_t size = at_.size();
    std::vector<std::vector<double>> result(size, std::vector<double>(size, 0));
    const Matrix slope = derivatives();
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < size; ++i) {
      result[i][i] = FitSolution::kUnknown;
      if (is_seen(i, slope)) {
        free.push_back(i);
      }
    }
    const auto count = static_cast<Eigen::Index>(free.size());
    Matrix part(slope.rows(), count);
    for (Eigen::Index i = 0; i < count; ++i) {
      part.col(i) = slope.col(static_cast<Eigen::Index>(free[static_cast<std::size_t>(i)]));
    }
    double inside = 0;
    for (const double residual : residuals_) {
      inside += std::abs(residual) <= kReach * scale ? 1 : 0;
    }
    const double share = std::max(inside / static_cast<double>(residuals_.size()), 0.5);
    const double variance = scale * scale * kReachMean / (share * share);
    const Matrix inverse =
        (part.transpose() * part).completeOrthogonalDecomposition().pseudoInverse() * variance;
    for (Eigen::Index i = 0; i < count; ++i) {
      for (Eigen::Index j = 0; j < count; ++j) {
        result[free[static_cast<std::size_t>(i)]][free[static_cast<std::size_t>(j)]] =
            std::clamp(inverse(i, j), -FitSolution::kUnknown, FitSolution::kUnknown);
      }
    }
    return result;
  }

  const FitProblem& problem_;
  std::vector<double> at_;
  Vector residuals_;
  double scale_ = 1;
  double loss_ = 0;
};

}  // namespace

FitSolution minimise(const FitProblem& problem) {
  constexpr int kRounds = 3;
  Search search(problem);
  double scale = std::max(search.estimated_scale(), 1.0);
  for (int round = 0; round < kRounds; ++round) {
    search.run(scale);
    scale = search.estimated_scale();
  }
  return search.solution(scale);
}

}  // namespace epwise::calibrate
